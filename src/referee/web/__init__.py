"""The page on this machine: drop files, choose columns, see the report. Nothing leaves the machine."""
