import { writeFileSync } from 'node:fs';
import { exportJWK, generateKeyPair, SignJWT, type KeyLike } from 'jose';

export const issuer = 'https://id.example';

/** Who signs tokens; its public key lies in a file. */
export class IdentityProvider {
  private constructor(private readonly key: KeyLike) {}

  static async start(file: string): Promise<IdentityProvider> {
    const { publicKey, privateKey } = await generateKeyPair('EdDSA');
    const key = { ...(await exportJWK(publicKey)), kid: 'test', alg: 'EdDSA' };
    writeFileSync(file, JSON.stringify({ keys: [key] }));
    return new IdentityProvider(privateKey);
  }

  token(tenant: string, scope: string, expires = '5m'): Promise<string> {
    return new SignJWT({ tenant, scope })
      .setProtectedHeader({ alg: 'EdDSA', kid: 'test' })
      .setIssuer(issuer)
      .setSubject('dispatcher')
      .setExpirationTime(expires)
      .sign(this.key);
  }
}
