/** Rounds are cut so that an outcome's value has no more. */
export const MAX_OUTCOME_BYTES = 512 * 1024;
/** What of a Kafka message is not its value: key, headers and the record itself. */
export const MESSAGE_ROOM_BYTES = 4_096;
