"""The memory as a tool of agent frameworks, one module each.

None is loaded before it is asked for, and each needs its extra: `langgraph`,
`openai-agents` or `pydantic-ai`.
"""
