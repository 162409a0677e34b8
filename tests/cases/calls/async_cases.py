"""Awaiting gives what a coroutine returns; `async for` and `async with` call their own special methods."""

import asyncio


class Reply:
    def read(self):
        return 1


class Client:
    async def __aenter__(self):
        return self

    async def __aexit__(self, *error):
        return None

    async def fetch(self):
        return Reply()  # calls: Reply

    def __aiter__(self):
        return self.stream()  # calls: Client.stream~

    async def stream(self):
        yield Reply()  # calls: Reply


async def main():
    async with Client() as client:  # calls: Client, Client.__aenter__~, Client.__aexit__~
        reply = await client.fetch()  # calls: Client.fetch~
        reply.read()  # calls: Reply.read
        async for one in client:  # calls: Client.__aiter__
            one.read()  # calls: Reply.read


asyncio.run(main())  # calls: main~
