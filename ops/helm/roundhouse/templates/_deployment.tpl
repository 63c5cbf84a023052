{{- /* A service: root, component (its name here), service (of which program), values, ports, command, image. */ -}}
{{- define "roundhouse.deployment" -}}
{{- $root := .root -}}
{{- $name := printf "%s-%s" (include "roundhouse.fullname" $root) .component -}}
{{- $secrets := include "roundhouse.mountedSecrets" $root | fromYaml -}}
{{- with .values.kafkaPasswordSecret }}{{ $_ := set $secrets "kafka-password" . }}{{ end -}}
{{- with .values.redisPasswordSecret }}{{ $_ := set $secrets "redis-password" . }}{{ end -}}
{{- if .isWorker -}}
{{- with $root.Values.peerTlsSecret }}{{ $_ := set $secrets "peer-tls" . }}{{ end -}}
{{- with $root.Values.workerAccessSecret }}{{ $_ := set $secrets "access" . }}{{ end -}}
{{- with $root.Values.workerJwtSecret }}{{ $_ := set $secrets "jwt" . }}{{ end -}}
{{- end -}}
{{- if eq .component "ingest" -}}
{{- with $root.Values.ingestAccessSecret }}{{ $_ := set $secrets "access" . }}{{ end -}}
{{- with $root.Values.ingestJwtSecret }}{{ $_ := set $secrets "jwt" . }}{{ end -}}
{{- end -}}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels: {{- include "roundhouse.labels" . | nindent 4 }}
spec:
  {{- if ne (toString .replicas) "" }}
  replicas: {{ .replicas }}
  {{- end }}
  revisionHistoryLimit: 5
  # A new one is ready before an old one goes.
  strategy:
    type: RollingUpdate
    rollingUpdate: { maxSurge: {{ .maxSurge | default 1 }}, maxUnavailable: {{ .maxUnavailable | default 0 }} }
  selector:
    matchLabels: {{- include "roundhouse.selector" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "roundhouse.labels" . | nindent 8 }}
      annotations:
        roundhouse/config: {{ include (print $root.Template.BasePath "/configmap.yaml") $root | sha256sum }}
        {{- with $root.Values.podAnnotations }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    spec:
      serviceAccountName: {{ include "roundhouse.serviceAccount" $root }}
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext: {{- toYaml $root.Values.podSecurityContext | nindent 8 }}
      terminationGracePeriodSeconds: {{ add (include "roundhouse.preStopSeconds" $root) 20 }}
      {{- with .values.runtimeClassName }}
      runtimeClassName: {{ . }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "roundhouse.selector" . | nindent 14 }}
      {{- with .values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with .values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      containers:
        - name: {{ .component }}
          image: "{{ .image.repository }}:{{ .image.tag | default $root.Chart.AppVersion }}"
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          command: [node, --enable-source-maps, dist/services/{{ .service }}/main.js]
          envFrom:
            - configMapRef: { name: {{ include "roundhouse.fullname" $root }} }
          env:
            - { name: POD_IP, valueFrom: { fieldRef: { fieldPath: status.podIP } } }
            {{- if and .isWorker (eq (get $root.Values.config "ROUNDHOUSE_REMOTE_ENGINES" | default "none") "redis") }}
            - { name: ROUNDHOUSE_ANNOUNCED_ADDRESS, value: '$(POD_IP):{{ ternary 8003 8001 (ne $root.Values.peerTlsSecret "") }}' }
            {{- end }}
            {{- with $root.Values.otlpHeadersSecret }}
            - { name: OTEL_EXPORTER_OTLP_HEADERS, valueFrom: { secretKeyRef: { name: {{ . }}, key: headers } } }
            {{- end }}
            {{- with .values.kafkaUser }}
            - { name: ROUNDHOUSE_KAFKA_USER, value: {{ . | quote }} }
            {{- end }}
            {{- with .values.redisUser }}
            - { name: ROUNDHOUSE_REDIS_USER, value: {{ . | quote }} }
            {{- end }}
            {{- if and $root.Values.tlsSecret (eq .component "ops") }}
            # What it asks the others over.
            - { name: NODE_EXTRA_CA_CERTS, value: /secrets/tls/ca.crt }
            {{- end }}
            {{- range $key, $value := merge (dict) .values.env (.extraEnv | default dict) }}
            - { name: {{ $key }}, value: {{ $value | quote }} }
            {{- end }}
          ports:
            {{- range $port, $number := .ports }}
            - { name: {{ $port }}, containerPort: {{ $number }} }
            {{- end }}
          # A start waits for Kafka and Redis for a minute, and for models.
          startupProbe:
            {{- include "roundhouse.probe" (dict "root" $root "path" "/livez") | nindent 12 }}
            periodSeconds: 5
            failureThreshold: {{ .startupTries | default 36 }}
          livenessProbe:
            {{- include "roundhouse.probe" (dict "root" $root "path" "/livez") | nindent 12 }}
            periodSeconds: 10
            timeoutSeconds: 5
            failureThreshold: 6
          readinessProbe:
            {{- include "roundhouse.probe" (dict "root" $root "path" "/readyz") | nindent 12 }}
            periodSeconds: 5
            timeoutSeconds: 4
          lifecycle:
            preStop:
              exec: { command: [sleep, {{ include "roundhouse.preStopSeconds" $root | quote }}] }
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          resources:
            {{- $resources := deepCopy .values.resources }}
            {{- if .values.gpus }}
            {{- $_ := set $resources "limits" (merge (dict .values.resourceName .values.gpus) ($resources.limits | default dict)) }}
            {{- end }}
            {{- toYaml $resources | nindent 12 }}
          volumeMounts:
            - { name: tmp, mountPath: /tmp }
            # Keeps the place in consumer groups when the container is started again.
            - { name: data, mountPath: /var/lib/roundhouse }
            {{- if .isWorker }}
            - { name: shm, mountPath: /dev/shm }
            {{- end }}
            {{- if .values.plansClaim }}
            - { name: plans, mountPath: /var/lib/roundhouse/plans }
            {{- end }}
            {{- if $root.Values.modelsClaim }}
            - { name: models, mountPath: /roundhouse/models, readOnly: true }
            {{- end }}
            {{- range $mount, $secret := $secrets }}
            - { name: secret-{{ $mount }}, mountPath: /secrets/{{ $mount }}, readOnly: true }
            {{- end }}
      volumes:
        - { name: tmp, emptyDir: { sizeLimit: 1Gi } }
        - { name: data, emptyDir: { sizeLimit: 4Gi } }
        {{- if .isWorker }}
        - { name: shm, emptyDir: { medium: Memory, sizeLimit: 256Mi } }
        {{- end }}
        {{- with .values.plansClaim }}
        - { name: plans, persistentVolumeClaim: { claimName: {{ . }} } }
        {{- end }}
        {{- with $root.Values.modelsClaim }}
        - { name: models, persistentVolumeClaim: { claimName: {{ . }}, readOnly: true } }
        {{- end }}
        {{- range $mount, $secret := $secrets }}
        - { name: secret-{{ $mount }}, secret: { secretName: {{ $secret }}, defaultMode: 0440 } }
        {{- end }}
{{- end }}
