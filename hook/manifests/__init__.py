"""What Git delivers: read, checked, cleaned, named, split in parts and waves. Pure."""
