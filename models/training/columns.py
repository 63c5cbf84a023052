"""The columns of the network: the same positions as EtrFeature and EtrOutput in schemas/src/tensors.ts."""

FEATURES = 20
IS_LEG_ROW, SIN_TIME, COS_TIME, IS_WEEKEND, RAIN, TRAFFIC = range(6)
MERCHANT_MEAN, MERCHANT_STD, OPEN_ORDERS, ITEM_COUNT, ELAPSED, WAIT_MEAN, HANDOVER_MEAN, FLOOR = range(6, 14)
DIRECT_KM = 14
VEHICLE = 15
VEHICLES = ("walk", "bike", "scooter", "car")

OUTPUTS = ("preparation", "pickup wait", "hand-over", "ride factor")
"""Each has a p50 and a p90 column, side by side; the first three in seconds, the last a ratio."""
