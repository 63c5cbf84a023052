import { serviceKinds } from '#launcher/service-process';

/** The environment in which every service takes any free port. */
export const anyPorts: Readonly<Record<string, string>> = Object.fromEntries(
  Object.values(serviceKinds).flatMap(({ portKeys }) => Object.values(portKeys).map((key) => [key, '0'])),
);
