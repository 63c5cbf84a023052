{{- define "roundhouse.fullname" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-%s" .Release.Name .Chart.Name | trunc 40 | trimSuffix "-" }}{{ end }}
{{- end }}

{{- define "roundhouse.labels" -}}
{{ include "roundhouse.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: roundhouse
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "roundhouse.selector" -}}
app.kubernetes.io/name: {{ .root.Chart.Name }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
{{- with .component }}
app.kubernetes.io/component: {{ . }}
{{- end }}
{{- end }}

{{- define "roundhouse.serviceAccount" -}}
{{- if .Values.serviceAccount.create }}{{ .Values.serviceAccount.name | default (include "roundhouse.fullname" .) }}{{ else }}{{ .Values.serviceAccount.name | default "default" }}{{ end }}
{{- end }}

{{- /* Longer than a round's deadline; the process then has 20 s for its stop in order. */ -}}
{{- define "roundhouse.preStopSeconds" -}}{{ add .Values.roundDeadlineSeconds 5 }}{{- end }}

{{- define "roundhouse.mountedSecrets" -}}
{{- $mounts := dict -}}
{{- with .Values.kafka.tlsSecret }}{{ $_ := set $mounts "kafka-tls" . }}{{ end -}}
{{- with .Values.kafka.passwordSecret }}{{ $_ := set $mounts "kafka-password" . }}{{ end -}}
{{- with .Values.redis.tlsSecret }}{{ $_ := set $mounts "redis-tls" . }}{{ end -}}
{{- with .Values.redis.passwordSecret }}{{ $_ := set $mounts "redis-password" . }}{{ end -}}
{{- with .Values.tlsSecret }}{{ $_ := set $mounts "tls" . }}{{ end -}}
{{- toYaml $mounts -}}
{{- end }}

{{- define "roundhouse.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  {{- if .root.Values.tlsSecret }}
  scheme: HTTPS
  {{- end }}
{{- end }}
