// What the driver needs from generation 3, loaded as an ES module.
import { ZepClient, entityFields } from "@getzep/zep-cloud";

export { entityFields };
export const connect = ({ apiKey, baseUrl }) => new ZepClient({ apiKey, baseUrl });
