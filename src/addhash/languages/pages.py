"""How many of a million web pages are in a language, as Common Crawl counted them.

CC-MAIN-2024-42, of the 160 languages that CLD2 knows: plots/languages.csv of
github.com/commoncrawl/cc-crawl-statistics. Those with five pages or fewer are left out, as are
languages that are not counted.
"""

_COUNTED = """
eng 434241, rus 60444, deu 53038, jpn 50419, zho 48129, spa 45387, fra 43960, ita 25282,
por 23146, nld 18145, pol 18065, tur 12422, ind 11235, ces 10630, vie 10454, kor 7388, fas 7051,
ara 6709, swe 6649, ukr 6037, ron 5978, ell 5728, hun 5649, dan 4640, tha 4071, slk 3705,
fin 3444, nob 3060, bul 2992, heb 2473, srp 2161, hrv 2149, hin 2089, cat 2085, lit 1668,
slv 1558, est 1326, ben 1186, lat 1007, lav 942, msa 787, aze 687, bos 523, sqi 497, nep 493,
tam 473, kat 422, eus 401, isl 398, mkd 383, glg 365, hye 340, urd 306, uzb 293, kaz 282,
mal 269, mar 258, tel 220, bel 162, mon 161, kan 142, mya 140, nno 130, cym 117, guj 113,
khm 106, afr 103, kir 98, swa 96, sin 90, tgl 88, tat 87, epo 84, pan 79, kur 74, gle 71, tgk 64,
ori 57, som 50, mlt 49, fao 48, ltz 40, lao 37, mlg 36, pus 35, bre 34, oci 34, san 34, amh 30,
bak 29, fry 29, hau 27, zul 25, asm 24, div 23, kin 23, war 23, xho 23, jav 22, tuk 21, ceb 20,
cos 20, hat 19, snd 17, yid 17, bod 15, gla 14, mri 12, roh 10, sun 10, uig 10, yor 10, kal 9,
grn 7, haw 7, ibo 7, sco 7, smo 7, tir 7, bih 6, hmn 6, nya 6, sna 6, sot 6
"""

PAGES = {code: int(pages) for code, pages in (each.split() for each in _COUNTED.split(","))}
