"""What clients of Zep v2 and v3 send and read, field by field.

Where both speak to one route, the request takes both spellings and the answer gives both.
"""
