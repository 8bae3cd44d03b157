"""Starts FastMCP's proxy in front of a stdio server: python fastmcp_proxy.py COMMAND [ARGS ...]"""

import sys

from fastmcp.client.transports import StdioTransport
from fastmcp.server import create_proxy

command, *arguments = sys.argv[1:]
create_proxy(StdioTransport(command, arguments), name="proxy").run(show_banner=False)
