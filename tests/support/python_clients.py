"""Has one conversation of two turns with a tool for each address, and prints the last texts as JSON.

Usage: python_clients.py CLIENT, with JSON on standard input: {"key", "question", "tool", "description",
"parameters", "celsius", "conversations": [{"base_url", "model"}]}.
"""

import json
import sys

SPEC = json.load(sys.stdin)
TOOL = {
    "type": "function",
    "function": {
        "name": SPEC["tool"],
        "description": SPEC["description"],
        "parameters": SPEC["parameters"],
    },
}


def weather(city):
    return json.dumps({"celsius": SPEC["celsius"][city]}, separators=(",", ":"))


def by_openai(base_url, model, stream):
    from openai import OpenAI

    client = OpenAI(base_url=base_url, api_key=SPEC["key"], max_retries=0)
    messages = [{"role": "user", "content": SPEC["question"]}]
    for _ in range(2):
        ask = {"model": model, "messages": messages, "tools": [TOOL]}
        if stream:
            with client.chat.completions.stream(**ask) as events:
                for _event in events:
                    pass
                message = events.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(**ask).choices[0].message
        # OpenAI's own members alone, as most programs send them back.
        calls = [
            {
                "id": call.id,
                "type": "function",
                "function": {"name": call.function.name, "arguments": call.function.arguments},
            }
            for call in message.tool_calls or []
        ]
        messages.append({"role": "assistant", "content": message.content, "tool_calls": calls})
        for call in calls:
            city = json.loads(call["function"]["arguments"])["city"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": weather(city)})
    return message.content


def by_langchain(base_url, model, stream):
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_openai import ChatOpenAI

    chat = ChatOpenAI(
        base_url=base_url,
        api_key=SPEC["key"],
        model=model,
        max_retries=0,
        use_responses_api=False,
    ).bind_tools([TOOL])

    def ask(messages):
        if not stream:
            return chat.invoke(messages)
        whole = None
        for chunk in chat.stream(messages):
            whole = chunk if whole is None else whole + chunk
        return whole

    question = HumanMessage(SPEC["question"])
    called = ask([question])
    results = [
        ToolMessage(content=weather(call["args"]["city"]), tool_call_id=call["id"])
        for call in called.tool_calls
    ]
    return ask([question, called, *results]).content


def by_pydantic_ai(base_url, model, stream):
    from pydantic_ai import Agent, Tool
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    provider = OpenAIProvider(base_url=base_url, api_key=SPEC["key"])
    tool = Tool.from_schema(weather, SPEC["tool"], SPEC["description"], SPEC["parameters"])
    agent = Agent(OpenAIChatModel(model, provider=provider), tools=[tool])
    if not stream:
        return agent.run_sync(SPEC["question"]).output

    import asyncio

    async def run():
        async with agent.run_stream(SPEC["question"]) as result:
            return await result.get_output()

    return asyncio.run(run())


def by_genai(base_url, model, stream):
    from google import genai
    from google.genai import types

    options = types.HttpOptions(
        base_url=base_url, retry_options=types.HttpRetryOptions(attempts=1)
    )
    client = genai.Client(api_key=SPEC["key"], http_options=options)
    declaration = types.FunctionDeclaration(
        name=SPEC["tool"],
        description=SPEC["description"],
        parameters_json_schema=SPEC["parameters"],
    )
    config = types.GenerateContentConfig(
        tools=[types.Tool(function_declarations=[declaration])],
        automatic_function_calling=types.AutomaticFunctionCallingConfig(disable=True),
    )
    contents = [types.Content(role="user", parts=[types.Part(text=SPEC["question"])])]
    for _ in range(2):
        ask = {"model": model, "contents": contents, "config": config}
        answers = (
            client.models.generate_content_stream(**ask)
            if stream
            else [client.models.generate_content(**ask)]
        )
        parts = [
            part
            for answer in answers
            for candidate in answer.candidates or []
            for part in (candidate.content and candidate.content.parts) or []
        ]
        contents.append(types.Content(role="model", parts=parts))
        results = [
            types.Part(
                function_response=types.FunctionResponse(
                    id=part.function_call.id,
                    name=part.function_call.name,
                    response=json.loads(weather(part.function_call.args["city"])),
                )
            )
            for part in parts
            if part.function_call
        ]
        if results:
            contents.append(types.Content(role="user", parts=results))
    return "".join(part.text or "" for part in parts)


def by_langchain_google(base_url, model, stream):
    from langchain_core.messages import HumanMessage, ToolMessage
    from langchain_google_genai import ChatGoogleGenerativeAI

    chat = ChatGoogleGenerativeAI(
        base_url=base_url, google_api_key=SPEC["key"], model=model, max_retries=1
    ).bind_tools([TOOL["function"]])

    def ask(messages):
        if not stream:
            return chat.invoke(messages)
        whole = None
        for chunk in chat.stream(messages):
            whole = chunk if whole is None else whole + chunk
        return whole

    question = HumanMessage(SPEC["question"])
    called = ask([question])
    results = [
        ToolMessage(
            content=weather(call["args"]["city"]), tool_call_id=call["id"], name=call["name"]
        )
        for call in called.tool_calls
    ]
    return ask([question, called, *results]).text


CLIENTS = {
    "openai": by_openai,
    "langchain": by_langchain,
    "pydantic_ai": by_pydantic_ai,
    "genai": by_genai,
    "langchain_google": by_langchain_google,
}

library, way = sys.argv[1].split("/")
answers = []
for conversation in SPEC["conversations"]:
    try:
        answers.append(CLIENTS[library](**conversation, stream=way == "stream"))
    except Exception as error:  # One client's failure is the test's to report.
        answers.append(f"{type(error).__name__}: {error}")
json.dump(answers, sys.stdout)
