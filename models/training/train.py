"""Trains the shipped delivery-time network and prints its error.

Writes models/delivery_time/1/model.onnx (or --out). The same seed, packages and kind of CPU give the same
bytes; --check compares the result with the file that is there instead of writing it.
"""

import os

for _name, _value in {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    # One kernel everywhere with AVX2, so that the file does not depend on the machine's AVX-512.
    "OPENBLAS_CORETYPE": "Haswell",
}.items():
    os.environ.setdefault(_name, _value)

import argparse
import hashlib
import pathlib
import tempfile
import time

import numpy as np

import process
from evaluate import NaiveMean, table
from export_onnx import export
from network import QuantileNetwork, train

SHIPPED = pathlib.Path(__file__).resolve().parent.parent / "delivery_time" / "1" / "model.onnx"


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=20)
    parser.add_argument("--epochs", type=int, default=24)
    parser.add_argument("--orders", type=int, default=160_000, help="order rows to train on")
    parser.add_argument("--legs", type=int, default=40_000, help="leg rows to train on")
    parser.add_argument("--out", type=pathlib.Path, default=SHIPPED)
    parser.add_argument("--check", action="store_true", help="exit 1 if the file at --out would change")
    return parser.parse_args()


def sha256(path):
    return hashlib.sha256(path.read_bytes()).hexdigest()


def main():
    options = arguments()
    started = time.monotonic()
    data_seed, network_seed, shuffle_seed, test_seed = np.random.SeedSequence(options.seed).spawn(4)
    rows = process.sample_rows(np.random.default_rng(data_seed), options.orders, options.legs)
    network = QuantileNetwork(np.random.default_rng(network_seed), rows.features)
    train(network, rows, np.random.default_rng(shuffle_seed), options.epochs)
    unseen = process.sample_rows(np.random.default_rng(test_seed), 40_000, 20_000)
    print(table(unseen, network, NaiveMean(rows)))
    with tempfile.TemporaryDirectory() as folder:
        made = pathlib.Path(folder) / "model.onnx"
        export(network, made)
        print(f"\nsha256 {sha256(made)}, {made.stat().st_size} bytes, {time.monotonic() - started:.0f} s")
        if options.check:
            raise SystemExit(0 if sha256(made) == sha256(options.out) else f"{options.out} differs")
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_bytes(made.read_bytes())


if __name__ == "__main__":
    main()
