"""Sentences with open dates, and from when to when what they say holds.

All are said on Monday, 11 March 2024, at 10:00. "said" is that moment, "-" is unknown or open.
Written before the reader was tried on them; every other one was kept unread while working.
"""

ROWS = """
I have a dentist appointment on Friday. | 2024-03-15 | -
I met Paula on Friday. | 2024-03-08 | -
I start my new job in January. | 2025-01-01 | -
I started my new job in January. | 2024-01-01 | -
I have lived in Lisbon since September. | 2023-09-01 | -
I've been learning Dutch since Christmas. | 2023-12-25 | -
We're moving to Bergen in August. | 2024-08-01 | -
We moved to Bergen in August. | 2023-08-01 | -
I'm flying to Denver on Wednesday. | 2024-03-13 | -
I flew to Denver on Wednesday. | 2024-03-06 | -
My sister is getting married in June. | 2024-06-01 | -
My sister got married in June. | 2023-06-01 | -
I'm going to visit Anna on Sunday. | 2024-03-17 | -
I visited Anna on Sunday. | 2024-03-10 | -
I was in Porto for two weeks in October. | 2023-10-01 | 2023-11-01
I stayed in Porto for two weeks in October. | 2023-10-01 | -
I work at Globex until Friday. | said | 2024-03-15
I worked at Globex until November. | - | 2023-11-01
We plan to visit Kyoto in April. | 2024-04-01 | -
We planned to visit Kyoto in April. | 2024-04-01 | -
I have a trial ending October 14. | said | 2024-10-14
I have a subscription until May. | said | 2024-05-01
I will run a marathon in November. | 2024-11-01 | -
I ran a marathon in November. | 2023-11-01 | -
I've visited Athens in February. | 2024-02-01 | -
I'm seeing Tom tomorrow at 5pm. | 2024-03-12T17:00 | -
I saw Tom yesterday at 5pm. | 2024-03-10T17:00 | -
I leave for Cairo in three weeks. | 2024-04-01 | -
I left Acme three weeks ago. | 2024-02-19 | -
I've worked at Acme for six years. | 2018-03-11 | -
I worked at Acme for six years. | - | said
I'm staying in Oslo for two weeks. | said | 2024-03-25
I lived in Boston from 2015 to 2019. | 2015-01-01 | 2020-01-01
I'm in Paris from Wednesday to Friday. | 2024-03-13 | 2024-03-16
I was in Paris from Wednesday to Friday. | 2024-03-06 | 2024-03-09
We adopted a dog last summer. | 2023-06-01 | -
We're adopting a dog this summer. | 2024-06-01 | -
I lived in Chile in the nineties. | 1990-01-01 | 2000-01-01
I play tennis every Tuesday. | said | -
I go to the gym on Mondays. | said | -
I need a visa by May. | said | 2024-05-01
I hope to visit Peru in December. | 2024-12-01 | -
I decided to leave Acme in September. | 2024-09-01 | -
I joined Initech on March 4. | 2024-03-04 | -
I join Initech on April 2. | 2024-04-02 | -
I joined Initech on April 2. | 2023-04-02 | -
Tom's flight leaves on Thursday. | 2024-03-14 | -
Tom's flight left on Thursday. | 2024-03-07 | -
We send refunds within 30 days. | said | -
We ship orders within two weeks. | said | -
I'll visit Emma over the weekend. | 2024-03-16 | -
I visited Emma over the weekend. | 2024-03-09 | -
I'm meeting Ravi at Easter. | 2024-03-31 | -
I met Ravi at Easter. | 2023-04-09 | -
I'll call Maria on the 20th. | 2024-03-20 | -
I called Maria on the 20th. | 2024-02-20 | -
My lease in Leeds ends in July. | 2024-07-01 | -
My lease in Leeds ended in July. | 2023-07-01 | -
I must see my doctor on Thursday. | 2024-03-14 | -
I bought a bike when I was in Ghent in May. | 2023-05-01 | -
Our landlord raised the rent to 1,150 starting in February. | 2025-02-01 | -
My boss cut my hours to 20 beginning in April. | 2024-04-01 | -
I worked there starting in February. | 2024-02-01 | -
"""
# The reader keeps no fact of these yet.
NO_FACT = ("Tom's flight leaves on Thursday.", "Tom's flight left on Thursday.")
