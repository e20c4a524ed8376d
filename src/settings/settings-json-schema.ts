/** The JSON schema of a settings file, for editors. */
export async function settingsJsonSchema(): Promise<object> {
  const [{ z }, { SettingsFile }] = await Promise.all([import('zod'), import('./settings-schema.js')]);
  const schema = z.toJSONSchema(SettingsFile, { io: 'input' });
  const { approval: scope, approvalFiles: files, elicitation } = schema.properties ?? {};
  // `approval` may also be a map, which is flattened before the check.
  const map = { type: 'object', properties: { scope, files, elicitation }, additionalProperties: false };
  return { ...schema, properties: { ...schema.properties, approval: { anyOf: [scope, map] } } };
}
