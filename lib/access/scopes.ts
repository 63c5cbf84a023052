/** What a caller of the producer API may do. */
export const scopes = ['rounds:write', 'decisions:read', 'observations:write'] as const;
export type Scope = (typeof scopes)[number];

export function isScope(text: string): text is Scope {
  return (scopes as readonly string[]).includes(text);
}
