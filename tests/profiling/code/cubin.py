"""A program of a GPU with nothing but line tables, as nvcc -lineinfo leaves them: little-endian ELF, DWARF 2, and
NVIDIA's operation 0x90 for inlined calls.

KERNELS has what a reader must find at some offsets: the functions around, innermost first, and the source line.
"""
import struct

STRIP = "_Z12fused_kernelILi4EEv10swe_params"
SWEEP = "_Z12march_kernelILi4ELi1ELb0EEv10swe_paramsi13fused_weights12fused_fields"
FILES = ["fused_cuda.cu", "divergence_point.h", "sbp_point.h"]
SCOPE = "_ZN44_INTERNAL_83185f4e_13_fused_cuda_cu_2fb2b88e"
FUNCTIONS = [SCOPE + "10compute_dhILi4EEEfRK9pair_lane", SCOPE + "16divergence_pointEi15divergence_form",
             "_Z" + SCOPE[2:] + "6updateILi4EEEvPK10swe_paramsENKUliiE_clEii"]          # of a lambda in update
# rows of a kernel: address, file, line, row of the caller (from 1; 0: none), function
ROWS = {SWEEP: [(0x00, 1, 90, 0, 0), (0x10, 1, 104, 0, 0), (0x10, 2, 30, 2, 0), (0x20, 3, 79, 3, 1), (0x800, 1, 104, 0, 0),
                (0x8a0, 2, 36, 5, 0)],
        STRIP: [(0x00, 1, 60, 0, 0), (0x30, 1, 40, 1, 2)]}
KERNELS = {SWEEP: {0x00: ("march_kernel", "fused_cuda.cu", 90), 0x18: ("compute_dh march_kernel", FILES[1], 30),
                   0x20: ("divergence_point compute_dh march_kernel", FILES[2], 79),
                   0x7ff: ("divergence_point compute_dh march_kernel", FILES[2], 79),
                   0x810: ("march_kernel", "fused_cuda.cu", 104),
                   0x900: ("compute_dh march_kernel", FILES[1], 36)},
           STRIP: {0x10: ("fused_kernel", "fused_cuda.cu", 60), 0x40: ("update fused_kernel", "fused_cuda.cu", 40)}}
LINE_BASE, LINE_RANGE, OPCODE_BASE = -5, 14, 10


def uleb(value):
    out = bytearray()
    while True:
        byte, value = value & 0x7f, value >> 7
        out.append(byte | (0x80 if value else 0))
        if not value:
            return bytes(out)


def sleb(value):
    out = bytearray()
    while True:
        byte, value = value & 0x7f, value >> 7
        done = value == (-1 if byte & 0x40 else 0)
        out.append(byte | (0 if done else 0x80))
        if done:
            return bytes(out)


def extended(code, operands):
    return b"\0" + uleb(1 + len(operands)) + bytes([code]) + operands


def advance(distance):
    """Operations that add to the address, of every kind that there is."""
    constant = (255 - OPCODE_BASE) // LINE_RANGE
    if distance >= 0x100:
        return b"\x09" + struct.pack("<H", distance)
    if distance > constant:
        return b"\x08\x02" + uleb(distance - constant)
    return b"\x02" + uleb(distance)


def sequence(kernel, texts):
    """The operations of a kernel, and where its address is in them."""
    out = b"\x05\x07" + extended(0x91, b"\x01\x02") + extended(2, bytes(8))       # a column, and an operation of the future
    place = len(out) - 8
    address, line = 0, 1
    for at, file, number, caller, function in ROWS[kernel]:
        out += b"\x04" + uleb(file) + extended(0x90, uleb(caller) + uleb(texts[function] if caller else 0))
        down, step = number - line, at - address
        if LINE_BASE <= down < LINE_BASE + LINE_RANGE and step * LINE_RANGE + down - LINE_BASE + OPCODE_BASE < 256:
            out += bytes([step * LINE_RANGE + down - LINE_BASE + OPCODE_BASE])
        else:
            out += b"\x03" + sleb(down) + advance(step) + b"\x01"
        address, line = at, number
    return out + b"\x02\x10" + extended(1, b""), place


def unit(texts):
    """The line table, and the places of addresses with their kernels."""
    tables = bytes([1, 1, LINE_BASE & 0xff, LINE_RANGE, OPCODE_BASE, 0, 1, 1, 1, 1, 0, 0, 0, 1])
    tables += b"/folder\0\0" + b"".join(name.encode() + b"\0\x01\0\0" for name in FILES) + b"\0"
    body, places = b"", []
    for kernel in ROWS:
        operations, place = sequence(kernel, texts)
        places.append((10 + len(tables) + len(body) + place, kernel))
        body += operations
    content = struct.pack("<HI", 2, len(tables)) + tables + body
    return struct.pack("<I", len(content)) + content, places


def strings(texts):
    """Texts one after the other behind an empty one, and where they begin."""
    out, places = b"\0", []
    for text in texts:
        places.append(len(out))
        out += text.encode() + b"\0"
    return out, places


def build():
    text_bytes, texts = strings(FUNCTIONS)
    lines, places = unit(texts)
    name_bytes, names = strings(ROWS)
    symbols = bytes(24) + b"".join(struct.pack("<IBBHQQ", name, 0x12, 0, 1, 0, 16) for name in names)
    numbers = {kernel: k + 1 for k, kernel in enumerate(ROWS)}
    relocations = b"".join(struct.pack("<QQq", at, numbers[kernel] << 32 | 2, 0) for at, kernel in places)
    sections = [("", 0, b"", 0), (".debug_line", 1, lines, 0), (".debug_str", 1, text_bytes, 0), (".symtab", 2, symbols, 24),
                (".strtab", 3, name_bytes, 0), (".rela.debug_line", 4, relocations, 24)]
    title_bytes, titles = strings([name for name, *_ in sections] + [".shstrtab"])
    sections.append((".shstrtab", 3, title_bytes, 0))
    out, headers = bytearray(64), b""
    for (name, kind, content, entry), title in zip(sections, titles):
        link = {".symtab": 4, ".rela.debug_line": 3}.get(name, 0)
        out += bytes(-len(out) % 8)
        headers += struct.pack("<IIQQQQIIQQ", title, kind, 0, 0, len(out) if kind else 0, len(content), link, 1, 8 if kind else 0, entry)
        out += content
    out += bytes(-len(out) % 8)
    out[:64] = struct.pack("<16sHHIQQQIHHHHHH", b"\x7fELF\x02\x01\x01\x33\x07", 2, 190, 1, 0, 0, len(out), 0, 64, 0, 0, 64,
                           len(sections), len(sections) - 1)
    return bytes(out) + headers
