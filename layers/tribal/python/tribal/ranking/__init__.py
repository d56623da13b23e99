"""Pure room: how the signals of a search become one order, and how sure each answer is."""
