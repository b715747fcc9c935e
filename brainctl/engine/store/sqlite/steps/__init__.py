"""What each step forward of the file's format adds. A step, once released, is never changed."""
