import type { Metadata } from '@grpc/grpc-js';
import { namedTenant } from '../access/named-tenant';

/** What a call names as its tenant; unchecked. Throws where it names several. */
export function tenantOfCall(metadata: Metadata): string | undefined {
  return namedTenant(metadata.get('x-roundhouse-tenant').map(String));
}
