-- Whether a key may use the MCP tools that change the memory.
ALTER TABLE api_keys ADD COLUMN mcp_write INTEGER NOT NULL DEFAULT 0;
