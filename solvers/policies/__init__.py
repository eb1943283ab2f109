"""What are given policies worth, and what is best against them?"""
