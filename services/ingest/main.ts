import { runService } from '#lib/service';
import { loadIngestConfig } from './config';
import { startIngest } from './start-ingest';

void runService({ name: 'ingest', loadConfig: loadIngestConfig, start: startIngest });
