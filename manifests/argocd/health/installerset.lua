-- Health of an InstallerSet for Argo CD, for Applications that track one, and for its resource view.
local health = {status = "Progressing", message = "not reported yet"}
if obj.metadata.deletionTimestamp ~= nil then
  health.message = "being deleted"
  return health
end
if obj.status == nil or obj.status.conditions == nil then
  return health
end
if obj.status.observedGeneration ~= nil and obj.status.observedGeneration < obj.metadata.generation then
  health.message = "the last change was not looked at yet"
  return health
end
local found = {}
for _, condition in ipairs(obj.status.conditions) do
  found[condition.type] = condition
end
local ready, stalled, reconciling = found["Ready"], found["Stalled"], found["Reconciling"]
if stalled ~= nil and stalled.status == "True" then
  return {status = "Degraded", message = stalled.message or stalled.reason}
end
if reconciling ~= nil and reconciling.status == "True" then
  health.message = (ready ~= nil and ready.message) or reconciling.message or reconciling.reason
  return health
end
if ready ~= nil and ready.status == "True" then
  return {status = "Healthy", message = ready.message or ""}
end
if ready ~= nil then
  health.message = ready.message or ready.reason
end
return health
