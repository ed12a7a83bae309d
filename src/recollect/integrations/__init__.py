"""The memory as a tool of agent frameworks, one module each.

Each is loaded on demand and needs its extra: `langgraph`, `openai-agents` or `pydantic-ai`.
"""
