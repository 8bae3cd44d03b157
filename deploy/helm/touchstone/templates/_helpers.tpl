{{- define "touchstone.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "touchstone.selector" -}}
app.kubernetes.io/name: {{ default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "touchstone.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 }}
{{ include "touchstone.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}

{{- define "touchstone.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ default $.Chart.AppVersion .tag }}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* touchstone.json: the values, and what follows from the pod that it is for. */}}
{{- define "touchstone.config" -}}
{{- $config := deepCopy .Values.config -}}
{{- $name := include "touchstone.fullname" . -}}
{{- $listen := default dict $config.listen -}}
{{- $own := list $name (printf "%s.%s" $name .Release.Namespace) (printf "%s.%s.svc" $name .Release.Namespace) -}}
{{- $hosts := concat (default list $listen.allowed_hosts) $own | uniq -}}
{{- $_ := set $config "listen" (merge (dict "address" "0.0.0.0:7411" "allowed_hosts" $hosts) $listen) -}}
{{- $auth := default dict $config.auth -}}
{{- $keys := default list $auth.keys -}}
{{- range .Values.keys -}}
{{- $entry := merge (dict "key" (printf "${file:/run/secrets/touchstone/%s}" .secretKey)) (omit . "secretKey") -}}
{{- $keys = append $keys $entry -}}
{{- end -}}
{{- $auth = merge (dict "admin_key" (printf "${file:/run/secrets/touchstone/%s}" .Values.secret.adminKeyKey) "keys" $keys) $auth -}}
{{- $_ := set $config "auth" $auth -}}
{{- if .Values.secret.databaseUrlKey -}}
{{- $_ := set $config "activity" (merge (dict "store" "${DATABASE_URL}") (default dict $config.activity)) -}}
{{- end -}}
{{- if .Values.serviceMonitor.enabled -}}
{{- $_ := set $config "telemetry" (merge (dict "metrics" true) (default dict $config.telemetry)) -}}
{{- end -}}
{{- $config | toPrettyJson -}}
{{- end -}}
