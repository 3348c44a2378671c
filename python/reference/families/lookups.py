"""Binary search, and random bits from keys."""

from __future__ import annotations

import mlx.core as mx
import numpy as np

from .. import arrays
from ..cases import Writer, i32, i32s, i64, i64s, u32, u64


def write(writer: Writer) -> None:
    for dtype in ("float32", "float16", "bfloat16", "int32", "uint8", "int64"):
        for length in (1, 7, 1000):
            a = np.sort(arrays.values(length, length, dtype))
            v = np.concatenate([arrays.values(2, 50, dtype), a[:5]])
            for side in ("left", "right"):
                case = writer.case(f"searchsorted_{side}", f"{dtype} {length}")
                case.input("a", a, dtype).input("v", v, dtype).room("y", v.size, "uint32")
                args = ["@a", "@v", "@y", u32(length), i64(1)]
                case.step(f"searchsorted_{dtype}_{side}", args, threadgroup=v.size, grid=v.size)
                case.expect("y", np.searchsorted(a, v, side), "uint32")
    write_random(writer)


def threefry(key: np.ndarray, first: np.ndarray, second: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Threefry 2x32 with 20 rounds (Salmon et al., 2011)."""
    rotations = ((13, 15, 26, 6), (17, 29, 16, 24))
    words = [int(key[0]), int(key[1]), int(key[0]) ^ int(key[1]) ^ 0x1BD11BDA]
    words = [np.uint32(word) for word in words]
    with np.errstate(over="ignore"):
        x, y = first.astype(np.uint32) + words[0], second.astype(np.uint32) + words[1]
        for group in range(5):
            for count in rotations[group % 2]:
                x = x + y
                y = (y << np.uint32(count)) | (y >> np.uint32(32 - count))
                y = y ^ x
            x = x + words[(group + 1) % 3]
            y = y + words[(group + 2) % 3] + np.uint32(group + 1)
    return x, y


def random_words(key: np.ndarray, count: int) -> np.ndarray:
    """MLX's words for a key: counters come in pairs, half the number apart."""
    pairs = (count + 1) // 2
    low = np.arange(pairs)
    high = np.where(low + pairs < count, low + pairs, 0)
    x, y = threefry(key, low, high)
    return np.concatenate([x, y])[:count]


def write_random(writer: Writer) -> None:
    """Each key gives its own words; of an odd number the last pair gives one only."""
    keys = np.array([[1, 2], [77, 0], [2**32 - 1, 5]], np.uint32)
    for words in (1, 2, 7, 64):
        y = np.stack([random_words(key, words) for key in keys])
        if words % 2 == 0:
            own = np.array(mx.random.split(mx.array(keys[0]), words // 2)).reshape(-1)
            assert np.array_equal(own, y[0]), "this is not MLX's generator"
        odd = f"bool:{str(words % 2 == 1).lower()}"
        grid = (3, (words + 1) // 2)
        case = writer.case("rbitsc", f"3×{words}")
        case.input("keys", keys, "uint32").room("y", y.shape, "uint32")
        case.step("rbitsc", ["@keys", "@y", odd, u64(words * 4)], threadgroup=(1, 1), grid=grid)
        case.expect("y", y, "uint32")
        spaced = np.zeros((6, 2), np.uint32)
        spaced[::2] = keys
        case = writer.case("rbits", f"3×{words}, every second key")
        case.input("keys", spaced, "uint32").room("y", y.shape, "uint32")
        args = ["@keys", "@y", odd, u64(words * 4), i32(2), i32s([3, 2]), i64s([4, 1])]
        case.step("rbits", args, threadgroup=(1, 1), grid=grid)
        case.expect("y", y, "uint32")
