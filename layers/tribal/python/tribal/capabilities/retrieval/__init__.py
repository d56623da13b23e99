"""The use cases behind the retrieval tools: each takes an input and a toolbox and returns an output. Importing this
package loads nothing.
"""
