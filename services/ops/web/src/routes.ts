import { useEffect, useState } from 'preact/hooks';
import { routeOf, type Route } from './addresses';

export function useRoute(): Route {
  const [hash, setHash] = useState(location.hash);
  useEffect(() => {
    const change = (): void => setHash(location.hash);
    window.addEventListener('hashchange', change);
    return () => window.removeEventListener('hashchange', change);
  }, []);
  return routeOf(hash);
}
