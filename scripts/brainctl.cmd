@"%~dp0python.exe" -m brainctl %*
