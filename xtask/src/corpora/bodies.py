"""Makes Metal sources of the kernel bodies that Python packages hand to `mx.fast.metal_kernel`.

usage: bodies.py PACKAGE_FOLDER OUT_FOLDER

Every module is imported with stand-ins for all packages but its own, and the functions that make kernels are called
with guessed arguments. Each body is wrapped as MLX wraps it: a signature from the names of inputs and outputs, shapes,
strides and built-in indices where the body names them, template arguments as the call sites name them.
Types and sizes that only a run would tell are guessed.
"""
import ast, re, importlib.abc, importlib.machinery, itertools, json, os, sys, types, inspect, signal

root, out_folder = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
kernels = {}
where = ['?']

class Decorated:
    def __init__(self, f): self.__wrapped__ = f; self.__name__ = f.__name__; self.__doc__ = f.__doc__
    def __call__(self, *a, **k): return self.__wrapped__(*a, **k)
    def __get__(self, obj, cls=None): return types.MethodType(self.__wrapped__, obj) if obj is not None else self
    def __getattr__(self, name):
        if name.startswith('__'): raise AttributeError(name)
        return Any(name)

class Any:
    """Stands for anything."""
    def __init__(self, name='any'): object.__setattr__(self, '_n', name)
    def __getattr__(self, name):
        if name.startswith('__') and name.endswith('__'): raise AttributeError(name)
        value = Any(self._n + '.' + name); object.__setattr__(self, name, value); return value
    def __call__(self, *a, **k):
        # A decorator gives what it decorates.
        if len(a) == 1 and not k and inspect.isclass(a[0]): return a[0]
        if len(a) == 1 and not k and inspect.isfunction(a[0]): return Decorated(a[0])
        return Any(self._n + '()')
    def __getitem__(self, k): return Any(self._n)
    def __setitem__(self, k, v): pass
    def __iter__(self): return iter(())
    def __len__(self): return 0
    def __bool__(self): return True
    def __int__(self): return 64
    def __index__(self): return 64
    def __float__(self): return 1.0
    def __str__(self): return self._n.split('.')[-1]
    def __format__(self, spec): return str(self)
    def __hash__(self): return hash(self._n)
    def __eq__(self, other): return self is other
    def __enter__(self): return self
    def __exit__(self, *a): return False
    def __mro_entries__(self, bases): return ()
for op in 'add sub mul truediv floordiv mod pow and or xor lshift rshift matmul'.split():
    for form in ('__%s__', '__r%s__'):
        setattr(Any, form % op, lambda self, other: Any(self._n))
for op in 'neg pos invert abs'.split(): setattr(Any, '__%s__' % op, lambda self: Any(self._n))
for op in 'lt le gt ge'.split(): setattr(Any, '__%s__' % op, lambda self, other: False)

def metal_kernel(name=None, input_names=(), output_names=(), source='', header='', ensure_row_contiguous=True, atomic_outputs=False, **rest):
    if isinstance(source, str) and isinstance(name, str):
        key = (name, source, header if isinstance(header, str) else '')
        kernels.setdefault(key, dict(name=name, inputs=[str(i) for i in input_names], outputs=[str(o) for o in output_names],
            source=source, header=header if isinstance(header, str) else '', atomic=bool(atomic_outputs) if not isinstance(atomic_outputs, Any) else False, file=where[0]))
    return Any('kernel')

class Stub(types.ModuleType):
    def __getattr__(self, name):
        if name.startswith('__') and name.endswith('__'): raise AttributeError(name)
        if name == 'metal_kernel': return metal_kernel
        if name == 'fast':
            value = Stub('fast');
        elif name == 'is_available': value = lambda *a: True
        elif name == 'metal': value = Stub('metal')
        elif name in ('float32','float16','bfloat16','int32','uint32','uint8','int8','int64','uint64','int16','uint16','bool_'): value = Any(name)
        elif name[:1].isupper(): value = type(name, (), {'__init__': lambda self, *a, **k: None, '__call__': lambda self, *a, **k: Any('value')})
        else: value = Any(name)
        setattr(self, name, value); return value

own = {d for d in os.listdir(root) if os.path.isdir(os.path.join(root, d))}
class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        top = name.split('.')[0]
        if top in sys.stdlib_module_names or top in ('org', '_typeshed') or top.startswith('_'): return None
        if top in own:
            base = os.path.join(root, *name.split('.'))
            if os.path.isfile(base + '.py') or os.path.isfile(os.path.join(base, '__init__.py')): return None
            if os.path.isdir(base):
                spec = importlib.machinery.ModuleSpec(name, None, is_package=True); spec.submodule_search_locations = [base]; return spec
        spec = importlib.machinery.ModuleSpec(name, self, is_package=True); return spec
    def create_module(self, spec): return Stub(spec.name)
    def exec_module(self, module): module.__path__ = []
sys.meta_path.insert(0, Finder()); sys.path.insert(0, root)
class Timeout(Exception): pass
def alarm(*a): raise Timeout()
signal.signal(signal.SIGALRM, alarm)

def guess(parameter):
    n = parameter.name.lower()
    if parameter.default is not inspect.Parameter.empty and parameter.default is not None:
        if isinstance(parameter.default, bool): return [False, True]
        return [parameter.default]
    ann = str(parameter.annotation)
    if 'bool' in ann: return [False, True]
    if 'int' in ann or n in ('d','k','n','m','bits','group_size','tg','threadgroup') or n.startswith(('n_','num_')) or n.endswith(('_size','_dim','dims')):
        return [4 if n == 'bits' else 64]
    if 'float' in ann or 'eps' in n: return [1.0]
    if 'str' in ann: return ['float']
    if 'dtype' in n or 'Dtype' in ann: return [Any('float32')]
    return [64, Any(n)]

for top in own:
    # A package's own wrapper of the same name.
    try:
        wrapper = importlib.import_module(top + '.metal')
        for own_name in ('metal_kernel', 'kernel'):
            if isinstance(getattr(wrapper, own_name, None), types.FunctionType): setattr(wrapper, own_name, metal_kernel)
    except BaseException as error: print(top, type(error).__name__, error, file=sys.stderr)
for folder, _, files in os.walk(root):
    for file in sorted(files):
        if not file.endswith('.py'): continue
        path = os.path.join(folder, file); text = open(path).read()
        if 'metal_kernel' not in text: continue
        where[0] = os.path.relpath(path, root)
        name = where[0][:-3].replace(os.sep, '.')
        if name.endswith('.__init__'): name = name[:-9]
        try:
            signal.alarm(20); module = importlib.import_module(name)
        except BaseException as error:
            print(where[0], 'import:', type(error).__name__, error, file=sys.stderr); continue
        finally: signal.alarm(0)
        try: tree = ast.parse(text)
        except SyntaxError: continue
        for node in tree.body:
            if not isinstance(node, ast.FunctionDef): continue
            if 'metal_kernel' not in ast.get_source_segment(text, node): continue
            function = getattr(module, node.name, None)
            function = inspect.unwrap(function) if function is not None else None
            if not inspect.isfunction(function): continue
            choices = [guess(p) for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
            kinds = [p for p in inspect.signature(function).parameters.values() if p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
            # Both ways of flags; otherwise the first guess that makes a kernel.
            flags = [len(choice) == 2 and isinstance(choice[0], bool) for choice in choices]
            made = set()
            for values in itertools.islice(itertools.product(*choices), 64):
                chosen = tuple(value for value, flag in zip(values, flags) if flag)
                if chosen in made: continue
                before = len(kernels)
                try:
                    signal.alarm(5); function(**{p.name: v for p, v in zip(kinds, values)})
                except BaseException as error: last = error
                finally: signal.alarm(0)
                if len(kernels) > before: made.add(chosen)
# What the call sites say of template arguments.
templates = {}
for folder, _, files in os.walk(root):
    for file in files:
        if not file.endswith('.py'): continue
        path = os.path.join(folder, file)
        try: tree = ast.parse(open(path).read())
        except SyntaxError: continue
        # A list of pairs, or a pair that is appended to one.
        names = {}
        for node in ast.walk(tree):
            pairs = []
            if isinstance(node, (ast.List, ast.Tuple)): pairs = node.elts
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == 'append': pairs = node.args
            for item in pairs:
                if isinstance(item, ast.Tuple) and len(item.elts) == 2 and isinstance(item.elts[0], ast.Constant) and isinstance(item.elts[0].value, str) and item.elts[0].value.isidentifier():
                    names.setdefault(item.elts[0].value, ast.unparse(item.elts[1]))
        templates[os.path.relpath(path, root)] = names
ALL = {}
for names in templates.values(): ALL.update({n: v for n, v in names.items() if len(n) > 2 or n == 'T'})
for kernel in kernels.values(): kernel['template'] = templates.get(kernel['file'], {})
# Kernels out of a text that was guessed.
kernels = {key: kernel for key, kernel in kernels.items() if not kernel['name'].startswith('float')}

ATTR = {'thread_position_in_grid':'uint3','thread_position_in_threadgroup':'uint3','threadgroup_position_in_grid':'uint3',
 'threads_per_grid':'uint3','threads_per_threadgroup':'uint3','threadgroups_per_grid':'uint3','grid_origin':'uint3','grid_size':'uint3',
 'thread_index_in_simdgroup':'uint','thread_index_in_threadgroup':'uint','simdgroup_index_in_threadgroup':'uint','simdgroups_per_threadgroup':'uint',
 'threads_per_simdgroup':'uint','thread_index_in_quadgroup':'uint','quadgroup_index_in_threadgroup':'uint','quadgroups_per_threadgroup':'uint',
 'thread_execution_width':'uint','dispatch_threads_per_threadgroup':'uint3','dispatch_simdgroups_per_threadgroup':'uint','dispatch_quadgroups_per_threadgroup':'uint'}
NAMES = {'size_t':'uint64_t','uint':'uint32_t','int':'int32_t','long':'int64_t','ulong':'uint64_t','uchar':'uint8_t','ushort':'uint16_t','short':'int16_t'}
INTEGER = r'(uint32_t|uint|int32_t|int|uchar|uint8_t|int8_t|long|int64_t|ulong|uint64_t|size_t|bool|ushort|uint16_t|short)'
def element(name, source, types=(), depth=0):
    """The type of an input's elements, as far as its uses tell."""
    m = re.search(r'device\s+(?:const\s+)?(\w+)\s*\*\s*(?:const\s+)?\w+\s*=\s*(?:\([^()]*\)\s*)?' + name + r'\b', source)
    if m and m.group(1) in types: return m.group(1)
    if m and re.fullmatch(INTEGER + r'|float|half|bfloat|bfloat16_t', m.group(1)): return NAMES.get(m.group(1), m.group(1))
    m = re.search(r'\b' + INTEGER + r'\s+\w+\s*=\s*(?:\([^()]*\))?\s*' + name + r'\s*\[', source)
    if m: return NAMES.get(m.group(1), m.group(1))
    if re.search(r'\b' + name + r'\s*\[(?:[^\[\]]|\[[^\]]*\])*\]\s*(>>|<<|%|\||&(?!&)|\^)', source): return 'uint32_t'
    if re.search(r'\(\s*(const\s+)?device\s+(const\s+)?(\w+)\s*\*\s*\)\s*\(?\s*' + name + r'\b', source): return 'uint32_t'
    if depth < 3:
        for alias in re.findall(r'(?:auto|\*)\s*(\w+)\s*=\s*(?:\([^()]*\)\s*)?' + name + r'\b', source):
            if alias != name and (found := element(alias, source, types, depth + 1)): return found
        # An element that is kept, and then used bit by bit.
        for alias in re.findall(r'auto\s+(\w+)\s*=\s*' + name + r'\s*\[', source):
            if re.search(r'\b' + alias + r'\s*(>>|<<|%|\||&(?!&)|\^)', source): return 'uint32_t'
    if re.search(r'(idx|index|indices|offset|len|count|packed|lengths|position|slot|table|ids|token|mask_u|perm|rhs|lhs|num_|size|dims?$|bits|codes|words|^[nkmtdhb]$)', name.lower()) and not name.lower().startswith(('mask','scale')): return 'int32_t'
    return None
def is_pointer(name, source):
    # Handed to a function, cast, chosen or moved along: what a number of the host's would not be.
    if re.search(r'(reinterpret_cast<[^>]*\*>\s*\(\s*|\(\s*(const\s+)?device\s+[^()]*\*\s*\)\s*\(?\s*|[?:]\s*\(?\s*|\bauto\s*\*?\s*\w+\s*=\s*\(?\s*|\*\s*\w+\s*=\s*|\]\s*=\s*)' + name + r'\b(?!\s*[*/<>])', source): return True
    return bool(re.search(r'\b' + name + r'\s*\[', source) or re.search(r'(auto|\*)\s*\w+\s*=\s*(\([^()]*\)\s*)?\(?' + name + r'\b\s*(\+|;)', source)
                or not re.search(r'\b' + name + r'\b', source))
def write(bodies, out):
    os.makedirs(out, exist_ok=True)
    names = set()
    for n, k in enumerate(bodies):
        source, header = k['source'], k['header']
        text = header + source
        name = 'custom_kernel_' + re.sub(r'\W', '_', k['name'])
        templates = []
        has_t = None
        for t, v in {**ALL, **k['template']}.items():
            if not re.search(r'\b' + t + r'\b', source): continue
            if t in k['inputs'] + k['outputs'] or re.search(r'((constexpr|constant|const)\s+(const\s+|constant\s+)?(?!device\b|constant\b|threadgroup\b|thread\b|typename\b)\w+\s+|#define\s+|using\s+)' + t + r'\b', source if t == 'T' else text): continue
            is_type = 'type' in v or re.search(r'\bmx\.(b?float|u?int|bool)\w*$', v) is not None or t in ('T', 'U', 'InT', 'StT', 'OutT')
            if is_type:
                templates.append((t, 'typename', 'float')); has_t = has_t or t
            else:
                low = t.lower()
                is_bool = low in ('neon','sliding','broadcast_experts','has_res') or low.startswith(('has_','is_','invert')) or re.search(r'^(True|False|bool\(.*)$|\bis (not )?None$|[<>=]=', v) is not None
                if is_bool: templates.append((t, 'bool', 'false'))
                else:
                    value = int(v) if v.isdigit() else 4 if 'bits' in low else 1 if low in ('offset_stride','sx','sy') else 8 if low in ('k','hk','iters','topk','top_k','hc','e') else 16 if low in ('hq','hv','depth') else 32 if low in ('tg','threads') else 128
                    templates.append((t, 'int', str(value)))
        types = [t for t, kind, _ in templates if kind == 'typename']
        params, index = [], 0
        def add(decl):
            nonlocal index
            params.append(decl + f' [[buffer({index})]]'); index += 1
        for i in k['inputs']:
            e = element(i, source, types) or has_t or 'float'
            if is_pointer(i, source): add(f'const device {e}* {i}')
            else: add(f'const constant {e}& {i}')
            if i + '_shape' in source: add(f'const constant int* {i}_shape')
            if i + '_strides' in source: add(f'const constant int64_t* {i}_strides')
            if i + '_ndim' in source: add(f'const constant int& {i}_ndim')
        for o in k['outputs']:
            e = element(o, source, types) or has_t or 'float'
            add(f'device atomic<{e}>* {o}' if k['atomic'] else f'device {e}* {o}')
        for a, ty in ATTR.items():
            if re.search(r'\b' + a + r'\b', source): params.append(f'{ty} {a} [[{a}]]')
        body = '#include "mlx/backend/metal/kernels/utils.h"\n' + header + '\n'
        if templates: body += 'template <' + ', '.join(f'{kind} {t}' for t, kind, _ in templates) + '>\n'
        body += f'[[kernel]] void {name}(\n  ' + ',\n  '.join(params) + ') {\n' + source + '\n}\n'
        if templates: body += f'template [[host_name("{name}")]] [[kernel]] decltype({name}<' + ', '.join(v for _, _, v in templates) + f'>) {name}<' + ', '.join(v for _, _, v in templates) + '>;\n'
        names.add(name := f'{n:03}_{re.sub(chr(92)+"W","_",k["name"])[:60]}.metal')
        path = os.path.join(out, name)
        # What has not changed keeps its time, so that it is not compiled anew.
        if not os.path.exists(path) or open(path).read() != body: open(path, 'w').write(body)
    for name in set(os.listdir(out)) - names: os.remove(os.path.join(out, name))
write(list(kernels.values()), out_folder)
