'use strict';

/** Real processes on a busy machine need more than jest's 5 s (jest ignores testTimeout of a project). */
jest.setTimeout(90_000);
