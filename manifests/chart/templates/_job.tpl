{{/* The spec of a Job. Takes a dict: root, args (list), mounted (whether the input is mounted). Why each setting is as it
     is, stands in manifests/job/job.yaml. */}}
{{- define "handoff.jobSpec" -}}
{{- $values := .root.Values -}}
backoffLimit: {{ $values.backoffLimit }}
activeDeadlineSeconds: {{ $values.activeDeadlineSeconds }}
podReplacementPolicy: Failed
podFailurePolicy:
  rules:
    - action: FailJob
      onExitCodes:
        containerName: handoff
        operator: In
        values: [2, 3, 4, 5]
    - action: Ignore
      onPodConditions:
        - type: DisruptionTarget
template:
  metadata:
    labels:
      app.kubernetes.io/name: {{ include "handoff.name" .root }}
      app.kubernetes.io/instance: {{ .root.Release.Name }}
      sidecar.istio.io/inject: "false"
      {{- with $values.podLabels }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- with $values.podAnnotations }}
    annotations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
  spec:
    restartPolicy: Never
    serviceAccountName: {{ include "handoff.serviceAccountName" .root }}
    automountServiceAccountToken: true
    enableServiceLinks: false
    terminationGracePeriodSeconds: {{ $values.terminationGracePeriodSeconds }}
    {{- with $values.imagePullSecrets }}
    imagePullSecrets:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.podSecurityContext }}
    securityContext:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.priorityClassName }}
    priorityClassName: {{ . }}
    {{- end }}
    {{- with $values.runtimeClassName }}
    runtimeClassName: {{ . }}
    {{- end }}
    {{- with $values.nodeSelector }}
    nodeSelector:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.tolerations }}
    tolerations:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.affinity }}
    affinity:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with $values.topologySpreadConstraints }}
    topologySpreadConstraints:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    containers:
      - name: handoff
        image: {{ include "handoff.image" .root | quote }}
        imagePullPolicy: {{ $values.image.pullPolicy }}
        args:
          {{- range .args }}
          - {{ . | quote }}
          {{- end }}
          {{- range $values.extraArgs }}
          - {{ . | quote }}
          {{- end }}
        env:
          - name: HANDOFF_COMPONENT
            value: {{ required "component: the name of the unit that is handed over" $values.component | quote }}
          {{- if .mounted }}
          - name: HANDOFF_VERSION
            value: {{ $values.version | quote }}
          - name: HANDOFF_DIGEST
            value: {{ $values.digest | quote }}
          {{- end }}
          - name: HANDOFF_NAMESPACE
            valueFrom:
              fieldRef:
                fieldPath: metadata.namespace
          - name: HANDOFF_JOB_NAME
            valueFrom:
              fieldRef:
                fieldPath: metadata.labels['batch.kubernetes.io/job-name']
          - name: HANDOFF_JOB_UID
            valueFrom:
              fieldRef:
                fieldPath: metadata.labels['batch.kubernetes.io/controller-uid']
          - name: HANDOFF_TIMEOUT
            value: {{ $values.timeout | quote }}
          - name: HANDOFF_LOCK_TIMEOUT
            value: {{ $values.lockTimeout | quote }}
          {{- with $values.extraEnv }}
          {{- toYaml . | nindent 10 }}
          {{- end }}
        terminationMessagePolicy: FallbackToLogsOnError
        {{- with $values.resources }}
        resources:
          {{- toYaml . | nindent 10 }}
        {{- end }}
        {{- with $values.securityContext }}
        securityContext:
          {{- toYaml . | nindent 10 }}
        {{- end }}
        {{- $mount := and .mounted $values.input.existingConfigMap }}
        {{- if or $mount $values.extraVolumeMounts }}
        volumeMounts:
          {{- if $mount }}
          - name: input
            mountPath: /input
            readOnly: true
          {{- end }}
          {{- with $values.extraVolumeMounts }}
          {{- toYaml . | nindent 10 }}
          {{- end }}
        {{- end }}
    {{- if or $mount $values.extraVolumes }}
    volumes:
      {{- if $mount }}
      - name: input
        configMap:
          name: {{ $values.input.existingConfigMap }}
      {{- end }}
      {{- with $values.extraVolumes }}
      {{- toYaml . | nindent 6 }}
      {{- end }}
    {{- end }}
{{- end -}}
