@setlocal
@set "python=%~dp0python.exe"
@if not exist "%python%" set "python=%~dp0..\python.exe"
@"%python%" -P -m brainctl %*
