import { namedTenant } from './named-tenant';

test('a tenant may be named in several places, and is one', () => {
  expect(namedTenant([])).toBeUndefined();
  expect(namedTenant([undefined, 'acme'])).toBe('acme');
  expect(namedTenant(['acme', 'acme'])).toBe('acme');
  expect(() => namedTenant(['acme', 'other'])).toThrow('more than one tenant');
  expect(() => namedTenant(['', 'acme'])).toThrow('more than one tenant');
});
