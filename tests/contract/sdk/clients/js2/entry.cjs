// What the driver needs from generation 2, loaded the CommonJS way.
const { ZepClient } = require("@getzep/zep-cloud");
const { entityFields } = require("@getzep/zep-cloud/wrapper/ontology");

module.exports = {
  entityFields,
  connect: ({ apiKey, baseUrl }) => new ZepClient({ apiKey, environment: baseUrl }),
};
