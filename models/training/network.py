"""A multilayer perceptron with two quantiles an output, trained by the pinball loss with Adam."""

import numpy as np

import columns as col

HIDDEN = 64
OUTPUTS = len(col.OUTPUTS)
SCALE = np.array([600.0, 120.0, 150.0, 1.0], dtype=np.float32)
"""Seconds (a ratio for the ride factor) that stand for 1 inside the network."""


def _softplus(z):
    return np.logaddexp(np.float32(0), z)


def _sigmoid(z):
    return 1 / (1 + np.exp(-np.clip(z, -30, 30)))


class QuantileNetwork:
    """features → clip → normalise → 64 → 64 → p50 and the distance from p50 to p90, both above 0."""

    def __init__(self, rng, features):
        self.low = features.min(axis=0).astype(np.float32)
        self.high = features.max(axis=0).astype(np.float32)
        self.mean = features.mean(axis=0).astype(np.float32)
        deviation = features.std(axis=0)
        self.inverse_std = (1 / np.where(deviation > 1e-6, deviation, 1)).astype(np.float32)
        sizes = [col.FEATURES, HIDDEN, HIDDEN, 2 * OUTPUTS]
        self.weights = [
            (rng.normal(size=(a, b)) * np.sqrt(2 / a)).astype(np.float32) for a, b in zip(sizes, sizes[1:])
        ]
        self.biases = [np.zeros(b, dtype=np.float32) for b in sizes[1:]]

    def normalise(self, features):
        clipped = np.minimum(np.maximum(features.astype(np.float32), self.low), self.high)
        return (clipped - self.mean) * self.inverse_std

    def forward(self, normalised):
        hidden = [normalised]
        for weight, bias in zip(self.weights[:-1], self.biases[:-1]):
            hidden.append(np.maximum(hidden[-1] @ weight + bias, 0))
        return hidden, hidden[-1] @ self.weights[-1] + self.biases[-1]

    def quantiles(self, features):
        """[n, 4] p50 and [n, 4] p90, in seconds (ride factor: ratio)."""
        _, raw = self.forward(self.normalise(features))
        p50 = _softplus(raw[:, :OUTPUTS]) * SCALE
        return p50, p50 + _softplus(raw[:, OUTPUTS:]) * SCALE


def _pinball_gradient(predicted, target, q):
    """Derivative of the pinball loss by the prediction; 0 where the row has no such target."""
    gradient = np.where(target > predicted, -q, 1 - q).astype(np.float32)
    gradient[np.isnan(target)] = 0
    return gradient


def _gradients(network, x, target):
    """`target` in units of SCALE."""
    hidden, raw = network.forward(x)
    p50 = _softplus(raw[:, :OUTPUTS])
    p90 = p50 + _softplus(raw[:, OUTPUTS:])
    by_p90 = _pinball_gradient(p90, target, 0.9)
    by_p50 = _pinball_gradient(p50, target, 0.5) + by_p90
    delta = np.concatenate([by_p50, by_p90], axis=1) * _sigmoid(raw) / len(x)
    weight_gradients, bias_gradients = [], []
    for layer in range(len(network.weights) - 1, -1, -1):
        weight_gradients.insert(0, hidden[layer].T @ delta)
        bias_gradients.insert(0, delta.sum(axis=0))
        delta = (delta @ network.weights[layer].T) * (hidden[layer] > 0)
    return weight_gradients + bias_gradients


def train(network, rows, rng, epochs, batch=512, peak_rate=3e-3):
    """Adam with a cosine learning rate; rows are shuffled by `rng` each epoch."""
    x = network.normalise(rows.features)
    target = (rows.target / SCALE).astype(np.float32)
    parameters = network.weights + network.biases
    first = [np.zeros_like(p) for p in parameters]
    second = [np.zeros_like(p) for p in parameters]
    steps = epochs * (len(x) // batch)
    step = 0
    for _ in range(epochs):
        order = rng.permutation(len(x))
        for start in range(0, len(x) - batch + 1, batch):
            chosen = order[start : start + batch]
            step += 1
            rate = peak_rate * 0.5 * (1 + np.cos(np.pi * step / steps))
            for p, g, m, v in zip(parameters, _gradients(network, x[chosen], target[chosen]), first, second):
                m += 0.1 * (g - m)
                v += 0.001 * (g * g - v)
                p -= np.float32(rate) * (m / (1 - 0.9**step)) / (np.sqrt(v / (1 - 0.999**step)) + 1e-8)
