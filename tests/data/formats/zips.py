"""ZIP files as tests need them: also packed with Zstandard, which `zipfile` cannot write before Python 3.14."""

import io
import json
import struct
import zipfile
import zlib

import pyarrow


def deflated(path, members):
    """Write members, name and content in turn, of which several may have one name."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members:
            archive.writestr(name, content if isinstance(content, str | bytes) else json.dumps(content))
    return path


def zstandard(path, members, size=None):
    """Write members packed with Zstandard; `size` is what each says of itself instead of the truth."""
    out, directory, many = io.BytesIO(), b"", 0
    for name, content in members:
        raw = content if isinstance(content, bytes) else json.dumps(content).encode()
        packed = pyarrow.Codec("zstd").compress(raw, asbytes=True)
        told = len(raw) if size is None else size
        fields = struct.pack("<5H3I2H", 63, 0, 93, 0, 33, zlib.crc32(raw), len(packed), told, len(name), 0)
        directory += b"PK\x01\x02" + struct.pack("<H", 63) + fields + struct.pack("<3H2I", 0, 0, 0, 0, out.tell())
        directory += name.encode()
        out.write(b"PK\x03\x04" + fields + name.encode() + packed)
        many += 1
    end = struct.pack("<4H2IH", 0, 0, many, many, len(directory), out.tell(), 0)
    path.write_bytes(out.getvalue() + directory + b"PK\x05\x06" + end)
    return path
