"""Error of the network on merchants and draws it has never seen, beside the process itself and a naive mean."""

import numpy as np

import columns as col
import process


def pinball(target, predicted, q):
    return float(np.mean(np.maximum(q * (target - predicted), (q - 1) * (target - predicted))))


class NaiveMean:
    """What one has without a network: the merchant's own mean and spread, a global mean where there is none."""

    def __init__(self, rows):
        self.mean = np.nanmean(rows.target, axis=0)
        self.p90_over_mean = np.nanquantile(rows.target, 0.9, axis=0) / self.mean

    def _known_or_global(self, features, column, output):
        seen = 60 * features[:, column]
        return np.where(seen > 0, seen, self.mean[output])

    def quantiles(self, features):
        p50 = np.stack(
            [
                self._known_or_global(features, col.MERCHANT_MEAN, 0),
                self._known_or_global(features, col.WAIT_MEAN, 1),
                self._known_or_global(features, col.HANDOVER_MEAN, 2),
                np.full(len(features), self.mean[3]),
            ],
            axis=1,
        )
        p90 = p50 * self.p90_over_mean
        std = 60 * features[:, col.MERCHANT_STD]
        p90[:, 0] = np.where(std > 0, p50[:, 0] + 1.2816 * std, p90[:, 0])
        elapsed = 60 * features[:, col.ELAPSED]
        p50[:, 0] = np.maximum(p50[:, 0], elapsed)
        p90[:, 0] = np.maximum(p90[:, 0], elapsed)
        return p50, p90


def table(rows, network, naive):
    """Markdown rows: output, predictor, MAE, pinball 50/90, share of draws below p50/p90, distance to the true p50."""
    truth = (process.true_quantiles(rows, 0.5), process.true_quantiles(rows, 0.9))
    predictors = [
        ("true process", truth),
        ("network", network.quantiles(rows.features)),
        ("naive mean", naive.quantiles(rows.features)),
    ]
    lines = [
        "| output | predictor | MAE of p50 | pinball p50 | pinball p90 | below p50 | below p90 | mean distance to the true p50 / p90 |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for output, name in enumerate(col.OUTPUTS):
        present = np.isfinite(rows.target[:, output])
        target = rows.target[present, output]
        unit, digits = ("s", 1) if output < 3 else ("", 4)
        for label, (p50, p90) in predictors:
            low, high = p50[present, output], p90[present, output]
            away = [np.abs(guess - true[present, output]).mean() for guess, true in zip((low, high), truth)]
            lines.append(
                f"| {name} | {label} | {np.abs(target - low).mean():.{digits}f}{unit} "
                f"| {pinball(target, low, 0.5):.{digits}f}{unit} | {pinball(target, high, 0.9):.{digits}f}{unit} "
                f"| {100 * (target <= low).mean():.1f}% | {100 * (target <= high).mean():.1f}% "
                f"| {away[0]:.{digits}f}{unit} / {away[1]:.{digits}f}{unit} |"
            )
    return "\n".join(lines)
