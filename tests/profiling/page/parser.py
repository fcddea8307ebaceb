"""A strict reader of pages: every element is closed correctly, attributes and ids are unique, and references
have targets. Python's own parser tolerates all these faults."""
import re
from html.parser import HTMLParser

VOID = {'meta', 'link', 'br', 'hr', 'img', 'input'}
SVG_EMPTY = {'path', 'rect', 'circle', 'line'}
PHRASING = {'a', 'b', 'code', 'em', 'span', 'strong', 'small', 'i', 'button', 'output'}
# permitted direct children of some elements
CHILDREN = {
    'html': {'head', 'body'}, 'table': {'caption', 'thead', 'tbody'}, 'thead': {'tr'},
    'tbody': {'tr'}, 'tr': {'th', 'td'}, 'ul': {'li'}, 'dl': {'dt', 'dd', 'div'},
    'p': PHRASING, 'h1': PHRASING, 'h2': PHRASING, 'h3': PHRASING, 'caption': PHRASING,
    'figcaption': PHRASING, 'summary': PHRASING, 'dt': PHRASING, 'code': set(), 'title': set(),
}


class Page(HTMLParser):
    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.faults, self.ids, self.wanted = [], [], set(), []
        self.texts, self.sections, self.elements = [], {}, []
        self.tables, self.table = {}, None  # by id: texts of the cells, row by row
        self.lines = {}  # by the id of their picture: paths of the class 'line'
        self.section, self.frames = None, {}  # tables, figures and lists of each section
        self.feed(text)
        self.close()
        if self.open:
            self.faults.append(f'never closed: {self.open}')
        self.faults += [f'nothing has the id {name}' for name in self.wanted
                        if name not in self.ids]

    def fault(self, what):
        self.faults.append(f'line {self.getpos()[0]}: {what}')

    def handle_decl(self, decl):
        if decl != 'DOCTYPE html' or self.elements:
            self.fault(f'declaration {decl}')

    def handle_starttag(self, tag, attributes):
        names = [name for name, _ in attributes]
        values = dict(attributes)
        if len(values) != len(names):
            self.fault(f'{tag}: an attribute twice: {names}')
        parent = self.open[-1] if self.open else None
        if parent in CHILDREN and tag not in CHILDREN[parent] and 'svg' not in self.open:
            self.fault(f'{tag} in {parent}')
        if 'id' in values:
            if values['id'] in self.ids:
                self.fault(f'id {values["id"]} twice')
            self.ids.add(values['id'])
        for key in ('aria-labelledby', 'aria-describedby'):
            self.wanted += (values.get(key) or '').split()
        if (values.get('href') or '').startswith('#'):
            self.wanted.append(values['href'][1:])
        if tag == 'table':
            self.table = self.tables[values['id']] = []
        elif tag == 'tr':
            self.table.append([])
        elif tag in ('th', 'td'):
            self.table[-1].append('')
        if tag == 'svg' and 'id' in values:
            self.lines[values['id']] = []
        elif tag == 'path' and (values.get('class') or '').startswith('line '):
            self.lines[list(self.lines)[-1]].append(values['d'])
        if tag in ('table', 'figure', 'ul') and self.section is not None:
            self.frames[self.section] = self.frames.get(self.section, 0) + 1
        if tag == 'section':
            self.section = values['id']
            self.sections[self.section] = []
        self.elements.append((tag, values, list(self.open)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        if 'svg' not in self.open:
            self.fault(f'{tag} closes itself')
        self.handle_starttag(tag, attributes)
        self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1] != tag:
            self.fault(f'</{tag}> in {self.open[-3:]}')
        if tag in self.open:
            while self.open.pop() != tag:
                pass
        if tag == 'section':
            self.section = None

    def handle_data(self, data):
        if self.open and self.open[-1] in ('script', 'style'):
            return
        self.texts.append(data)
        if 'th' in self.open or 'td' in self.open:
            self.table[-1][-1] += data
        if self.section is not None:
            self.sections[self.section].append(data)

    def text(self, section=None):
        texts = self.texts if section is None else self.sections[section]
        return re.sub('[ \n]+', ' ', ''.join(texts)).strip()
