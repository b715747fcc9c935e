"""What each step forward of the database's format adds. A step, once released, is never changed."""
