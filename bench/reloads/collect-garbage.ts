/**
 * Loaded before the engine's own entry with --expose-gc: garbage of JavaScript, which V8 would leave for minutes, is
 * no growth.
 */
const everyMs = 400;

setInterval(() => (globalThis as { gc?: () => void }).gc?.(), everyMs).unref();
