"""How the script of a text is named."""

from addhash.runtime import native

NAMES = tuple(native.script_names())
HAN = NAMES.index("Hani")
# Scripts of their own name in ISO 15924, which are Han or hangul with others.
OWN = {("jpn", "Hani"): "Jpan", ("kor", "Hang"): "Kore", ("kor", "Hani"): "Kore"}
# Frequent characters that only simplified, or only traditional, Chinese has.
SIMPLIFIED = frozenset(
    "们个这来时会对说为国发经学没过样动关实现开见问应还进义么让从给认观长东车马门点几书语头"
    "话里后听爱边气电机种产业务总万与两声体无业当间钱岁觉谁请谢难欢脑网师亲写买卖风飞鸟鱼"
    "龙华区报场处传带单导岛广归红黄绿讲结紧经旧举剧决军块劳乐离历丽练连灵龄论罗妈满梦灭难"
    "宁农欧盘齐骑钱桥轻庆秋权确热软伞丧杀晒伤设审胜师湿识适术树双丝诉岁态谈汤铁厅图团弯伟"
)
TRADITIONAL = frozenset(
    "們個這來時會對說為國發經學沒過樣動關實現開見問應還進義麼讓從給認觀長東車馬門點幾書語頭"
    "話裡後聽愛邊氣電機種產業務總萬與兩聲體無業當間錢歲覺誰請謝難歡腦網師親寫買賣風飛鳥魚"
    "龍華區報場處傳帶單導島廣歸紅黃綠講結緊經舊舉劇決軍塊勞樂離歷麗練連靈齡論羅媽滿夢滅難"
    "寧農歐盤齊騎錢橋輕慶權確熱軟傘喪殺曬傷設審勝師濕識適術樹雙絲訴歲態談湯鐵廳圖團彎偉"
)


def script_of(code: str, number: int, text: str) -> str | None:
    """Return the ISO 15924 code of a text's script, given its language and the script's number.

    >>> script_of("zho", HAN, "这里"), script_of("zho", HAN, "這裡"), script_of("jpn", HAN, "駅")
    ('Hans', 'Hant', 'Jpan')
    """
    if not number:
        return None
    name = NAMES[number]
    if number == HAN and code != "jpn":
        simplified = sum(character in SIMPLIFIED for character in text)
        traditional = sum(character in TRADITIONAL for character in text)
        if simplified != traditional:
            return "Hans" if simplified > traditional else "Hant"
    return OWN.get((code, name), name)
