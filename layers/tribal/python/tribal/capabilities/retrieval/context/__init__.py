"""One call that holds what SQL needs: the tool `get_query_context`."""
