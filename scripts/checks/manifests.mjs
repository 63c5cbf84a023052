import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const require = createRequire(import.meta.url);
/** Objects of others' definitions; the rest of them is looked at by promtool and chart-faults.mjs. */
const kinds = {
  'keda.sh/v1alpha1 ScaledObject': () => require('@kubernetes-models/keda/keda.sh/v1alpha1/ScaledObject'),
};
const withoutSchema = ['monitoring.coreos.com/v1'];

/** Objects against Kubernetes' JSON schemas of a folder (strict: no field that isn't there), a sentence a fault. */
export function manifestFaults(objects, folder) {
  const ajv = new Ajv2020({ strict: false, allErrors: true, validateFormats: false });
  ajv.addSchema(JSON.parse(readFileSync(join(folder, '_definitions.json'), 'utf8')), '_definitions.json');
  return objects.flatMap((object) => faultsOf(object, folder, ajv));
}

function faultsOf(object, folder, ajv) {
  const { apiVersion = '', kind = '', metadata } = object;
  const name = `${kind} ${metadata?.name} (${basename(folder)})`;
  if (withoutSchema.includes(apiVersion)) return [];
  const model = kinds[`${apiVersion} ${kind}`];
  if (model !== undefined) return modelFaults(model()[kind], object).map((fault) => `${name}: ${fault}`);
  const file = join(
    folder,
    `${kind.toLowerCase()}-${apiVersion.replace(/^([^./]*)(?:\.[^/]*)?\//, '$1-')}.json`,
  );
  if (!existsSync(file)) return [`${name}: ${apiVersion} has no such kind`];
  const validate =
    ajv.getSchema(file) ?? ajv.addSchema(JSON.parse(readFileSync(file, 'utf8')), file).getSchema(file);
  if (validate(object)) return [];
  return validate.errors.map(({ instancePath, message, params }) => {
    return `${name}: ${instancePath} ${message} ${JSON.stringify(params)}`;
  });
}

function modelFaults(Model, object) {
  try {
    new Model(object).validate();
    return [];
  } catch (error) {
    return [error.message];
  }
}
