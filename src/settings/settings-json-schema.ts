/** The JSON schema of a settings file, for editors. */
export async function settingsJsonSchema(): Promise<object> {
  const [{ z }, { SettingsFile }] = await Promise.all([import('zod'), import('./settings-schema.js')]);
  const schema = z.toJSONSchema(SettingsFile, { io: 'input' });
  const approval = schema.properties?.approval;
  // `approval` may also be a map, which is flattened before the check.
  return { ...schema, properties: { ...schema.properties, approval: { anyOf: [approval, { type: 'object' }] } } };
}
