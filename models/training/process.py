"""The noisy process behind the shipped network: merchants, preparation, pickup wait, hand-over, rides.

Every time is lognormal around a median that depends on what the features tell, so the true quantiles
are known in closed form and the network can be judged against them. docs/etr.md has the formulas.
"""

from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

import columns as col

DAY = 86_400
HISTORY = 60
"""Past orders from which a merchant's features were estimated: they are noisy, the process is not."""

POPULATION_PREP_MINUTES = 13.0
POPULATION_PREP_CV = 0.35
POPULATION_WAIT_MINUTES = 2.2
POPULATION_HANDOVER_MINUTES = 2.6
WAIT_SIGMA = 0.55
HANDOVER_SIGMA = 0.45
RIDE_SIGMA = np.array([0.08, 0.11, 0.14, 0.19])
RIDE_BASE = np.array([1.04, 1.08, 1.06, 1.12])
RIDE_TRAFFIC = np.array([0.02, 0.07, 0.22, 0.60])
RIDE_RAIN = np.array([0.06, 0.20, 0.24, 0.15])


@dataclass
class Rows:
    """Feature rows with the lognormal parameters of what is to be predicted and one draw of it."""

    features: np.ndarray
    """[n, 20]"""
    mu: np.ndarray
    """[n, 4], log seconds (log ratio for the ride); columns of the other kind of row are NaN"""
    sigma: np.ndarray
    """[n, 4]"""
    lower: np.ndarray
    """[n, 4] the draw is known to be above it (the preparation has lasted that long already)"""
    target: np.ndarray
    """[n, 4]"""


def _bump(hour, centre, width):
    return np.exp(-0.5 * ((hour - centre) / width) ** 2)


def demand(seconds_of_day, weekend):
    """How busy the city is, about 0.1 at night to 1.2 on a weekend evening."""
    hour = seconds_of_day / 3600
    lunch = 0.65 * _bump(hour, 12.6, 1.1) * np.where(weekend, 0.8, 1.0)
    dinner = 0.95 * _bump(hour, 19.2, 1.5) * np.where(weekend, 1.15, 1.0)
    return 0.1 + lunch + dinner


def _context(rng, n):
    hour = np.where(rng.random(n) < 0.6, rng.uniform(8, 24, n), rng.choice([12.6, 19.2], n) + rng.normal(0, 1.4, n))
    seconds = np.clip(hour * 3600, 0, DAY - 1)
    weekend = rng.random(n) < 2 / 7
    rain = np.where(rng.random(n) < 0.7, 0.0, rng.beta(1.6, 2.4, n))
    load = demand(seconds, weekend)
    traffic = np.clip(0.12 + 0.45 * load + 0.15 * rain + rng.normal(0, 0.12, n), 0, 1)
    features = np.zeros((n, col.FEATURES))
    angle = 2 * np.pi * seconds / DAY
    features[:, col.SIN_TIME] = np.sin(angle)
    features[:, col.COS_TIME] = np.cos(angle)
    features[:, col.IS_WEEKEND] = weekend
    features[:, col.RAIN] = rain
    features[:, col.TRAFFIC] = traffic
    return features, load


def _merchants(rng, count):
    """True mean (minutes) and coefficient of variation, and the features estimated from their past orders."""
    mean = np.clip(POPULATION_PREP_MINUTES * np.exp(rng.normal(-0.07, 0.38, count)), 3, 45)
    cv = np.clip(rng.gamma(6.0, POPULATION_PREP_CV / 6.0, count), 0.12, 0.9)
    sigma = np.sqrt(np.log1p(cv**2))
    past = np.exp(np.log(mean)[:, None] - sigma[:, None] ** 2 / 2 + sigma[:, None] * rng.normal(size=(count, HISTORY)))
    wait = POPULATION_WAIT_MINUTES * np.exp(rng.normal(-0.08, 0.4, count))
    wait_seen = wait * np.exp(rng.normal(0, WAIT_SIGMA / np.sqrt(HISTORY), count))
    return mean, sigma, past.mean(axis=1), past.std(axis=1), wait, wait_seen


def _lognormal(rng, mu, sigma):
    return np.exp(mu + sigma * rng.normal(size=mu.shape))


def sample_orders(rng, n, merchant_count=4000):
    """`n` rows of orders that are still being prepared; a fifth of the producers know no history."""
    draws = 2 * n
    features, load = _context(rng, draws)
    mean, sigma, seen_mean, seen_std, wait, wait_seen = _merchants(rng, merchant_count)
    m = rng.integers(0, merchant_count, draws)
    open_orders = rng.poisson(4 * load)
    items = 1 + rng.poisson(1.7, draws)
    floor = np.where(rng.random(draws) < 0.45, 0, rng.integers(1, 13, draws))
    handover = POPULATION_HANDOVER_MINUTES * np.exp(rng.normal(-0.04, 0.3, draws))
    rain = features[:, col.RAIN]

    mu = np.full((draws, 4), np.nan)
    kitchen = (0.78 + 0.25 * load) * (1 + 0.04 * np.maximum(0, open_orders - 1)) * (1 + 0.045 * (items - 2))
    mu[:, 0] = np.log(60 * mean[m] * kitchen) - sigma[m] ** 2 / 2
    mu[:, 1] = np.log(60 * wait[m] * (0.7 + 0.4 * load) * (1 + 0.05 * open_orders))
    mu[:, 2] = np.log(60 * handover * (1 + 0.10 * rain) + 11 * floor)
    spread = np.full((draws, 4), np.nan)
    spread[:, 0] = sigma[m]
    spread[:, 1] = WAIT_SIGMA
    spread[:, 2] = HANDOVER_SIGMA
    target = _lognormal(rng, mu, spread)

    elapsed = np.where(rng.random(draws) < 0.35, 0.0, rng.uniform(0, 1.4, draws) * np.exp(mu[:, 0]))
    known_history = rng.random(draws) >= 0.2
    known_wait = rng.random(draws) >= 0.2
    known_handover = rng.random(draws) >= 0.2
    features[:, col.MERCHANT_MEAN] = np.where(known_history, seen_mean[m], 0)
    features[:, col.MERCHANT_STD] = np.where(known_history, seen_std[m], 0)
    features[:, col.OPEN_ORDERS] = open_orders
    features[:, col.ITEM_COUNT] = items
    features[:, col.ELAPSED] = elapsed / 60
    features[:, col.WAIT_MEAN] = np.where(known_wait, wait_seen[m], 0)
    features[:, col.HANDOVER_MEAN] = np.where(known_handover, handover * np.exp(rng.normal(0, 0.05, draws)), 0)
    features[:, col.FLOOR] = floor
    features[:, col.DIRECT_KM] = np.clip(rng.gamma(2.5, 1.1, draws), 0.1, 15)

    lower = np.zeros((draws, 4))
    lower[:, 0] = elapsed
    open_still = np.flatnonzero(target[:, 0] > elapsed)[:n]
    if len(open_still) < n:
        raise RuntimeError(f"only {len(open_still)} of {n} orders are still being prepared")
    keep = open_still
    return Rows(features[keep], mu[keep], spread[keep], lower[keep], target[keep])


def sample_legs(rng, n):
    """`n` rows that ask for a vehicle's ride factor: real riding time over the time of the travel model."""
    features, load = _context(rng, n)
    vehicle = rng.integers(0, len(col.VEHICLES), n)
    features[:, col.IS_LEG_ROW] = 1
    features[np.arange(n), col.VEHICLE + vehicle] = 1
    factor = (
        RIDE_BASE[vehicle]
        + RIDE_TRAFFIC[vehicle] * features[:, col.TRAFFIC]
        + RIDE_RAIN[vehicle] * features[:, col.RAIN]
        + np.where(vehicle == 3, 0.08 * load, 0.0)
    )
    mu = np.full((n, 4), np.nan)
    sigma = np.full((n, 4), np.nan)
    mu[:, 3] = np.log(factor)
    sigma[:, 3] = RIDE_SIGMA[vehicle]
    target = _lognormal(rng, mu, sigma)
    return Rows(features, mu, sigma, np.zeros((n, 4)), target)


def sample_rows(rng, orders, legs):
    parts = [sample_orders(rng, orders), sample_legs(rng, legs)]
    return Rows(*(np.concatenate([getattr(part, name) for part in parts]) for name in Rows.__annotations__))


def true_quantiles(rows, q):
    """[n, 4] quantiles of the process itself, given that each draw is above `lower`."""
    normal = NormalDist()
    cdf = np.vectorize(normal.cdf)
    inverse = np.vectorize(normal.inv_cdf)
    result = np.full(rows.mu.shape, np.nan)
    for output in range(4):
        present = np.isfinite(rows.mu[:, output])
        mu, sigma, lower = (part[present, output] for part in (rows.mu, rows.sigma, rows.lower))
        with np.errstate(divide="ignore"):
            below = np.where(lower > 0, cdf((np.log(lower) - mu) / sigma), 0.0)
        result[present, output] = np.exp(mu + sigma * inverse(below + q * (1 - below)))
    return result
