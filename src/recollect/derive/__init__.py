"""What is derived from episodes beside the graph itself: readings, summaries, observations, chapters, and what makes all of it findable."""
